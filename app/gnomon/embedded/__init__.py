"""PostgreSQL without a server of one's own: the wheel's programs under a small launcher."""
