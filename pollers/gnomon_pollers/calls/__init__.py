"""The SQL functions that the clockwork calls, one typed function each, named as there.

Bounds travel as array literals made once (bounds.View), outcomes as one jsonb text: a poll ten times a second must not
spend its time on turning 800 values into parameters.
"""
