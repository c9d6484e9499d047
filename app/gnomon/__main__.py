"""`python -m gnomon`: the same as `gnomon`, where scripts are not on the path."""

from gnomon.cli import main

main()
