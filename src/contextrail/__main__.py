"""`python -m contextrail` is `contextrail`."""

from contextrail.cli.main import main

main()
