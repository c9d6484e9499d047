"""${message}.

Steps on tables are written by hand in up.sql and down.sql; routines are copied from sql/.
"""

from pathlib import Path

from gnomon.database import steps

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}

_FOLDER = Path(__file__).parent


def upgrade() -> None:
    """Apply this folder."""
    steps.up(_FOLDER)


def downgrade() -> None:
    """Take this folder back."""
    steps.down(_FOLDER)
