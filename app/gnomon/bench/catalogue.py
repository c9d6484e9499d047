"""Which benchmarks there are: the modules of gnomon.bench.benchmarks."""

import pkgutil
from difflib import get_close_matches
from importlib import import_module

from gnomon.bench import benchmarks
from gnomon.bench.benchmark import Benchmark


class BenchmarkUnknown(LookupError):
    """There is no such benchmark."""

    exit_code = 2

    def __init__(self, name: str) -> None:
        """Name what was asked for and what there is."""
        super().__init__(f"there is no benchmark {name!r}")
        near = get_close_matches(name, names(), n=1)
        self.hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names())}"


def names() -> list[str]:
    """The names of all benchmarks."""
    return sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__))


def find(name: str) -> Benchmark:
    """The benchmark of this name. Raises BenchmarkUnknown."""
    if name not in names():
        raise BenchmarkUnknown(name)
    found = import_module(f"{benchmarks.__name__}.{name}").BENCHMARK
    assert isinstance(found, Benchmark)
    return found
