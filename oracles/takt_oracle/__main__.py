"""Entry point of `python -m takt_oracle`."""

import sys

from .cli import main

sys.exit(main())
