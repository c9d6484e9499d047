"""The HTTP door: what every room needs, and the application that composes the rooms."""
