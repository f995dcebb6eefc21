"""`python -m vivavoce` is the command `vivavoce`."""

from vivavoce.cli.main import run

if __name__ == "__main__":
    run()
