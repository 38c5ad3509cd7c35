"""Every store of blobs keeps the promises of the port; the directory survives damage and hostile names."""

import contextlib
import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.blobs import HANDLE, Blob, digits_of, page
from contextrail.core.digest import sha256
from contextrail.core.errors import IntegrityError, InvalidRequest, NotFound, Unavailable
from contextrail.core.ids import Sha256
from contextrail.storage.blobs import DirectoryBlobs
from contextrail.testing import MemoryBlobs, check_blob_store


def files(root: Path) -> list[str]:
    return sorted(each.relative_to(root).as_posix() for each in root.rglob("*") if each.is_file())


def test_a_directory_is_a_store(tmp_path: Path) -> None:
    check_blob_store(DirectoryBlobs(tmp_path / "deep" / "store"))


def test_a_store_in_memory_is_a_store() -> None:
    check_blob_store(MemoryBlobs())


def test_a_store_that_forgets_is_found_out() -> None:
    class Forgetful(MemoryBlobs):
        def put(self, data: bytes) -> Sha256:
            return sha256(data)

    with pytest.raises(AssertionError, match="what was put is there"):
        check_blob_store(Forgetful())


def test_a_blob_is_one_file_under_its_digest_and_nothing_else_is_left(tmp_path: Path) -> None:
    root = tmp_path / "store"
    digest = DirectoryBlobs(root).put(b"evidence")
    DirectoryBlobs(root).put(b"evidence")
    assert files(root) == [".gitignore", f"blobs/{digest[:2]}/{digest[2:]}"]
    assert (root / ".gitignore").read_text() == "*\n"


def test_a_directory_that_was_there_before_gets_no_other_file(tmp_path: Path) -> None:
    digest = DirectoryBlobs(tmp_path).put(b"evidence")
    assert files(tmp_path) == [f"blobs/{digest[:2]}/{digest[2:]}"]


def test_damage_is_found_when_it_is_read_and_mended_when_it_is_put_again(tmp_path: Path) -> None:
    store = DirectoryBlobs(tmp_path)
    digest = store.put(b"evidence")
    place = tmp_path / "blobs" / digest[:2] / digest[2:]
    place.write_bytes(b"evidenc3")
    with pytest.raises(IntegrityError):
        store.get(digest)
    assert store.put(b"evidence") == digest
    assert store.get(digest) == b"evidence"


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(Unavailable) as caught:
        DirectoryBlobs(tmp_path / "file").put(b"evidence")
    assert caught.value.facts["place"] == str(tmp_path / "file")


def test_digits_that_several_blobs_share_are_refused(tmp_path: Path) -> None:
    store = DirectoryBlobs(tmp_path)
    digest = store.put(b"evidence")
    twin = tmp_path / "blobs" / digest[:2] / (digest[2:-1] + ("0" if digest[-1] != "0" else "1"))
    twin.write_bytes(b"")
    with pytest.raises(InvalidRequest, match="2 blobs"):
        store.find(digest[:16])


@pytest.mark.parametrize("name", ["../x", "ab/../../etc/passwd", "", "g" * 64, "A" * 64])
def test_a_name_that_is_no_digest_never_reaches_the_disk(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidRequest):
        DirectoryBlobs(tmp_path).get(Sha256(name))
    with pytest.raises(InvalidRequest):
        DirectoryBlobs(tmp_path).has(Sha256(name))


def test_an_empty_store_has_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        DirectoryBlobs(tmp_path / "none").find("0" * 16)
    assert files(tmp_path) == []


@given(st.text())
def test_a_handle_names_its_text(text: str) -> None:
    blob = Blob.of(text)
    assert sha256(blob.data()) == blob.digest
    assert HANDLE.fullmatch(blob.handle)
    assert digits_of(blob.handle) == blob.digest[:16]
    assert digits_of(blob.digest) == blob.digest


@pytest.mark.parametrize("text", ["blob:123", "blob:" + "0" * 17, "read_file", "", "blob:" + "G" * 16])
def test_other_words_are_no_handles(text: str) -> None:
    assert digits_of(text) is None


@given(st.text(), st.integers(4, 50))
def test_pages_decode_each_by_itself_and_join_to_the_bytes(text: str, limit: int) -> None:
    data = text.encode()
    pages: list[bytes] = []
    while piece := page(data, sum(map(len, pages)), limit):
        piece.decode()
        assert len(piece) <= limit
        pages.append(piece)
    assert b"".join(pages) == data


def test_a_batch_is_one_file_and_costs_a_few_syncs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync

    def counted(handle: int) -> None:
        synced.append(handle)
        real(handle)

    monkeypatch.setattr(os, "fsync", counted)
    store = DirectoryBlobs(tmp_path / "store")
    blobs = [b"evidence %d" % number for number in range(300)]
    digests = store.put_many(blobs)
    assert len(synced) <= 4
    assert len(files(tmp_path / "store")) == 2
    assert [store.get(digest) for digest in digests] == blobs
    fresh = DirectoryBlobs(tmp_path / "store")
    assert [fresh.get(digest) for digest in digests] == blobs
    assert fresh.find(digests[7][:16]) == digests[7]
    synced.clear()
    assert fresh.put_many(blobs) == digests
    assert synced == []


def test_a_batch_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = DirectoryBlobs(tmp_path)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(Unavailable, match="no space left"):
            store.put_many([b"one", b"two"])
    assert files(tmp_path) == []
    assert not store.has(sha256(b"one"))
    store.put_many([b"one", b"two"])
    assert store.get(sha256(b"two")) == b"two"


def test_another_writer_s_batch_is_found(tmp_path: Path) -> None:
    reader = DirectoryBlobs(tmp_path)
    assert not reader.has(sha256(b"two"))
    DirectoryBlobs(tmp_path).put_many([b"one", b"two"])
    assert reader.get(sha256(b"two")) == b"two"


def test_a_damaged_batch_is_found_when_it_is_read_and_mended_when_it_is_put_again(tmp_path: Path) -> None:
    one, two = DirectoryBlobs(tmp_path).put_many([b"one one", b"two two"])
    (pack,) = (tmp_path / "packs").iterdir()
    pack.write_bytes(pack.read_bytes().replace(b"two two", b"two 2wo"))
    store = DirectoryBlobs(tmp_path)
    assert store.get(one) == b"one one"
    with pytest.raises(IntegrityError):
        store.get(two)
    store.put_many([b"one one", b"two two"])
    assert DirectoryBlobs(tmp_path).get(two) == b"two two"
    pack.write_bytes(b"{" + pack.read_bytes())
    with pytest.raises(IntegrityError, match="packs were altered"):
        DirectoryBlobs(tmp_path).get(one)


def test_a_store_cut_short_by_a_crash_is_never_read_as_whole(tmp_path: Path) -> None:
    """Whatever length a pack has, a blob of it is read whole or refused."""
    blobs = [b"first evidence", b"second evidence", b"third evidence"]
    digests = DirectoryBlobs(tmp_path).put_many(blobs)
    (pack,) = (tmp_path / "packs").iterdir()
    whole = pack.read_bytes()
    for length in range(len(whole)):
        pack.write_bytes(whole[:length])
        store = DirectoryBlobs(tmp_path)
        for digest, data in zip(digests, blobs, strict=True):
            with contextlib.suppress(IntegrityError):
                assert store.get(digest) == data


def test_an_original_is_named_once_and_for_all(tmp_path: Path) -> None:
    store = DirectoryBlobs(tmp_path)
    shown, original, other = sha256(b"[secret]"), sha256(b"the key"), sha256(b"x")
    store.put_many([b"[secret]", b"the key"], originals={shown: original})
    store.put_many([b"x"], originals={shown: other})
    fresh = DirectoryBlobs(tmp_path)
    assert fresh.original(shown) == original
    assert fresh.get(fresh.original(shown)) == b"the key"
    assert fresh.original(original) == original


def test_a_salt_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    root = tmp_path / "store"
    salt = DirectoryBlobs(root).salt()
    assert len(salt) >= 16
    assert DirectoryBlobs(root).salt() == salt
    assert DirectoryBlobs(tmp_path / "other").salt() != salt
    assert (root / "salt").stat().st_mode & 0o777 == 0o600
    (root / "salt").write_bytes(b"short")
    with pytest.raises(IntegrityError):
        DirectoryBlobs(root).salt()


def test_two_that_make_a_salt_at_once_get_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        salts = list(pool.map(lambda _: DirectoryBlobs(tmp_path).salt(), range(32)))
    assert len(set(salts)) == 1
    assert files(tmp_path) == ["salt"]


def test_where_files_have_no_second_names_a_salt_is_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    assert DirectoryBlobs(tmp_path).salt() == DirectoryBlobs(tmp_path).salt()
