"""${message[:1].upper() + message[1:]}.

Steps on types, tables and indexes are written by hand in up.sql and down.sql; routines and views are copied from sql/.
"""

from pathlib import Path

from gnomon.database import steps

revision = "${up_revision}"
down_revision = ${"None" if down_revision is None else '"' + down_revision + '"'}
branch_labels = None
depends_on = None

_FOLDER = Path(__file__).parent


def upgrade() -> None:
    """Apply this folder."""
    steps.up(_FOLDER)


def downgrade() -> None:
    """Take this folder back."""
    steps.down(_FOLDER)
