"""`gnomon demo`: a whole installation for a few seconds, under load, with faults, and an account of what it promised.

    mix       what is asked for           book      what was answered: the promises
    doors     by SQL and by HTTP          sink      a receiver in a process of its own, its file the only witness
    load      asks at a steady rate       report    promises against witness, a pure function

The account never looks into the database: what is lost there would be missing on both sides.
"""
