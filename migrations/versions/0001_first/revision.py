"""The first shape: schemas, tables, routines and views."""

from pathlib import Path

from gnomon.database import steps

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_FOLDER = Path(__file__).parent


def upgrade() -> None:
    """Apply this folder."""
    steps.up(_FOLDER)


def downgrade() -> None:
    """Take this folder back."""
    steps.down(_FOLDER)
