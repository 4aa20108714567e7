"""Figures about a list of numbers."""


def mean(values):
    total = 0
    for value in values:
        total = total + value
    return total / len(values)


def spread(values):
    return max(values) - min(values)
