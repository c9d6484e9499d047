"""Engine at scale.

Steps on types, tables and indexes are written by hand in up.sql and down.sql; routines and views are copied from sql/.
"""

from pathlib import Path

from gnomon.database import steps

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_FOLDER = Path(__file__).parent


def upgrade() -> None:
    """Apply this folder."""
    steps.up(_FOLDER)


def downgrade() -> None:
    """Take this folder back."""
    steps.down(_FOLDER)
