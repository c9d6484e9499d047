import pytest

from gnomon.errors import RequestInvalid
from gnomon.web.paths import decoded, routed_path

PREFIX = "/v1/notifications/schedule"


@pytest.mark.parametrize(
    ("sent", "routed"),
    [
        ("/healthz", "/healthz"),
        ("/healthz/", "/healthz"),
        ("/", "/%"),
        (f"{PREFIX}/sch_1?limit=2", f"{PREFIX}/sch_1"),
        (f"{PREFIX}/batch", f"{PREFIX}/batch"),
        (f"{PREFIX}/b%61tch", f"{PREFIX}/batch"),
        (f"{PREFIX}/a%2Fb/pending", f"{PREFIX}/%61%2Fb/pending"),
        (f"{PREFIX}/batch/pending", f"{PREFIX}/%62atch/pending"),
        (f"{PREFIX}/by-key/pending", f"{PREFIX}/%62y-key/pending"),
        (f"{PREFIX}//pending", f"{PREFIX}/%/pending"),
        (f"{PREFIX}/by-key/batch/preview", f"{PREFIX}/by-key/batch/preview"),
        ("/v1/users/a%20b", "/v1/users/a%20b"),
    ],
)
def test_paths_are_routed_as_they_were_sent(sent: str, routed: str) -> None:
    assert routed_path(sent.encode()) == routed


@pytest.mark.parametrize(("segment", "text"), [("a%2Fb", "a/b"), ("%62atch", "batch"), ("%C3%BC", "ü"), ("100%25", "100%")])
def test_parameters_are_decoded_once(segment: str, text: str) -> None:
    assert decoded(segment, "/user_id") == text


@pytest.mark.parametrize("segment", ["%zz", "a%", "%2", "%ff", "%c3", "a%00b", "\xfc", "a b"])
def test_what_is_no_percent_encoded_utf8_is_refused(segment: str) -> None:
    with pytest.raises(RequestInvalid) as caught:
        decoded(segment, "/user_id")
    assert caught.value.pointer == "/user_id"
