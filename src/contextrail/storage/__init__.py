"""Where bytes are kept. The only package that does so."""
