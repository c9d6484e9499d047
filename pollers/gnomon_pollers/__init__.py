"""The clockwork of Gnomon: processes that fire what is due, keep the tables in shape and hand over deliveries."""
