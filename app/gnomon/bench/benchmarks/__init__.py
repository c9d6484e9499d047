"""One benchmark a module; each has a BENCHMARK."""
