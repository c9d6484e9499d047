"""The commands of `gnomon`: one module each, found through the entry point group gnomon.commands."""
