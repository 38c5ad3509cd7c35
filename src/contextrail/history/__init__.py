"""How a transcript becomes the history of one request: steps over a draft, each loss written down."""
