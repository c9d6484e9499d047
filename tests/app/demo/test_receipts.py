from pathlib import Path

import pytest

from gnomon.demo import receipts
from gnomon.demo.receipts import Receipts, line_of
from tests.app.demo.given import receipt


def test_a_file_that_is_not_there_yet_has_no_lines(tmp_path: Path) -> None:
    assert Receipts(tmp_path / "none").read() == []


def test_lines_are_read_once_and_a_half_line_when_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "received"
    first, second = line_of(receipt("dlv_1")), line_of(receipt("dlv_2"))
    read = Receipts(path)
    path.write_bytes(first + second[:20])
    assert [found.delivery_id for found in read.read()] == ["dlv_1"]
    assert read.read() == []
    monkeypatch.setattr(receipts, "_READ_AT_MOST", len(second) + 5)
    with path.open("ab") as file:
        file.write(second[20:] + first * 3)
    assert [found.delivery_id for found in read.read()] == ["dlv_2", "dlv_1", "dlv_1", "dlv_1"]
    assert len(read.all) == 5


def test_a_line_keeps_microseconds(tmp_path: Path) -> None:
    written = receipt()
    path = tmp_path / "received"
    path.write_bytes(line_of(written))
    assert Receipts(path).read() == [written]
