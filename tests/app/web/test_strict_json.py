import pytest

from gnomon.errors import RequestInvalid
from gnomon.web.strict_json import DEPTH_LIMIT, strict_object, utf8_text

READ = (
    b'{"a": 1, "b": [1.5, -0.0, 1e300, null, true]}',
    '{"ü": "\\ud83d\\ude00 \\u00e9"}'.encode(),
    b'{"a": "\\\\u0000"}',
    b'{"a": {"x": 1}, "b": {"x": 1}}',
    b" {} \n",
)

REFUSED = (
    (b'{"user_id": "a", "user_id": "b"}', "/user_id", "'user_id' is given twice"),
    (b'{"params": {"a/b": 1, "a/b": 2}}', "/a~1b", "given twice"),
    (b'{"a": NaN}', None, "NaN is not JSON"),
    (b'{"a": Infinity}', None, "Infinity is not JSON"),
    (b'{"a": -Infinity}', None, "-Infinity is not JSON"),
    (b'{"a": 1e400}', None, "out of range"),
    (b'{"a": ' + b"9" * 5000 + b"}", None, "out of range"),
    (b'{"a": {"b": ["x", "\\u0000"]}}', "/a/b/1", "NUL"),
    (b'{"a\\u0000": 1}', None, "NUL"),
    (b'{"a": "\\ud800"}', "/a", "surrogate"),
    (b'{"\\udfff": 1, "\\udfff": 2}', "/\\udfff", "given twice"),
    (b'{"a": "\xff"}', None, "not UTF-8 at byte 7"),
    (b'{"a": "\x00"}', None, "not JSON at line 1, column 8"),
    (b'{"a": 1,\n "b": tru}', None, "not JSON at line 2, column 7"),
    (b'{"a": 1', None, "not JSON"),
    (b"{'a': 1}", None, "not JSON"),
    (b'{"a": 01}', None, "not JSON"),
    (b"{} {}", None, "not JSON"),
    (b"", None, "not JSON"),
    (b"\xef\xbb\xbf{}", None, "not JSON"),
    (b"[]", None, "an array, not an object"),
    (b"null", None, "null, not an object"),
    (b'"a"', None, "text, not an object"),
    (b"true", None, "a boolean, not an object"),
    (b"7", None, "a number, not an object"),
    (b'{"a": ' + b"[" * DEPTH_LIMIT + b"]" * DEPTH_LIMIT + b"}", None, "nested deeper"),
    (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", None, "nested deeper"),
)


@pytest.mark.parametrize("body", READ)
def test_what_is_json_is_read(body: bytes) -> None:
    assert isinstance(strict_object(utf8_text(body)), dict)


@pytest.mark.parametrize(("body", "pointer", "detail"), REFUSED)
def test_what_two_readers_could_differ_about_is_refused(body: bytes, pointer: str | None, detail: str) -> None:
    with pytest.raises(RequestInvalid) as caught:
        strict_object(utf8_text(body))
    assert detail in caught.value.message
    assert caught.value.pointer == pointer


def test_nesting_up_to_the_limit_is_read() -> None:
    depth = DEPTH_LIMIT - 1
    assert strict_object('{"a": ' + "[" * depth + "]" * depth + "}")["a"]
