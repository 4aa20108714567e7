"""Orders of a small shop."""

from dataclasses import dataclass


@dataclass
class Line:
    product: str
    quantity: int
    unit_price: float


def subtotal(lines: list[Line]) -> float:
    """Sum of quantity times unit price over all lines."""
    return 


def with_tax(amount: float, rate: float = 0.19) -> float:
    """The amount with tax, rounded to cents."""
    return round(amount * (1 + rate), 2)
