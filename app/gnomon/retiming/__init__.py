"""What is pending follows new rules of time zones: the plan, and its application in batches."""
