"""Deliveries: how late and how many, for the metrics."""
