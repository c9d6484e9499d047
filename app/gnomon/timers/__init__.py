"""The time plane: what is going to fire, and when."""
