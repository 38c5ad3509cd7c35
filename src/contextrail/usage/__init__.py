"""What requests cost: the economics of a provider's cache."""
