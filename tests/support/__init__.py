"""What tests share: servers, clocks, given rows, races. Imported as tests.support."""
