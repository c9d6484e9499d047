"""Scripts for the environments of peers. They import nothing of ours and are run by path, never imported."""
