"""Categories: what the schedules that name one have where they say nothing themselves."""
