"""Runs the migrations on the connection that `vivavoce.log.migrate` hands over."""

from alembic import context

given = context.config.attributes
context.configure(
    connection=given["connection"],
    version_table=given.get("version_table", "alembic_version"),
    transaction_per_migration=False,
)
context.run_migrations()
