from gnomon.children.lines import read_line


def test_a_line_of_ours_says_what_happened_and_what_about() -> None:
    raw = '{"event": "shards", "level": "info", "timestamp": "12:00", "role": "poll", "group": "due", "count": 64}'
    line = read_line(raw)
    assert line.is_routine
    assert line.text == "shards group=due count=64"


def test_an_exception_is_told_in_one_line() -> None:
    raw = '{"event": "a step failed", "level": "error", "step": "x", "exception": [{"exc_type": "Key", "exc_value": "y"}]}'
    line = read_line(raw)
    assert not line.is_routine
    assert line.text == "a step failed step=x Key: y"


def test_any_other_line_is_shown_as_it_is() -> None:
    assert read_line("Traceback (most recent call last):").text == "Traceback (most recent call last):"
    assert not read_line("[1]").is_routine
