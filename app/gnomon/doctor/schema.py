"""The schema and the roles."""

import asyncio

from gnomon.doctor import calls
from gnomon.doctor.exam import Exam, Finding, Ward


async def schema(ward: Ward) -> Exam:
    """Whether the schema is the one of this version."""
    from gnomon.database.migrate import head_revision  # Alembic takes a second to import

    found = await calls.schema_revision(ward.pool)
    newest = await asyncio.to_thread(head_revision)
    findings: tuple[Finding, ...] = ()
    if found is None or found < newest:
        at = "There is no schema of Gnomon's" if found is None else f"The schema is at revision {found}"
        findings = (
            Finding(
                what=f"{at}; this version needs {newest}.",
                why="Functions that this version calls are missing.",
                remedy="gnomon migrate",
            ),
        )
    elif found > newest:
        findings = (
            Finding(
                what=f"The schema is at revision {found}, this version knows {newest}.",
                why="A newer version migrated it. This one goes on working, but does not know what is new.",
                remedy="Install that version here too.",
            ),
        )
    return Exam(check="schema", seen=f"revision {found or 'none'}", findings=findings)


async def roles(ward: Ward) -> Exam:
    """Whether Gnomon's roles exist."""
    from gnomon.database.roles import ROLES

    found = await calls.roles(ward.pool, list(ROLES))
    missing = [name for name in ROLES if name not in found]
    findings: tuple[Finding, ...] = ()
    if missing:
        findings = (
            Finding(
                what=f"Roles are missing: {', '.join(missing)}.",
                why="Rights hang on them. Roles belong to the server: a dump restored elsewhere comes without.",
                remedy="gnomon migrate on an empty database makes them; or pg_dumpall --roles-only on the old server.",
            ),
        )
    held = [name for name, has in found.items() if has]
    return Exam(check="roles", seen=f"this login has {', '.join(held) or 'none'}", findings=findings)
