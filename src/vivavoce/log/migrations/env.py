"""Runs the migrations on the connection that `vivavoce.log.migrate` hands over."""

from alembic import context

from vivavoce.log.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transaction_per_migration=False,
)
context.run_migrations()
