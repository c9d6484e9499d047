"""Users: their time zone and locale."""
