"""A small ledger: accounts, entries, monthly totals, and a plain-text report."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path


class LedgerError(Exception):
    """An entry that does not add up."""


@dataclass(frozen=True)
class Entry:
    """One movement of money between two accounts."""

    day: date
    debit: str
    credit: str
    amount: Decimal
    note: str = ""

    def month(self) -> str:
        """Year and month, as the report groups by them."""
        return f"{self.day.year:04d}-{self.day.month:02d}"


@dataclass
class Ledger:
    """All entries, in the order in which they were booked."""

    entries: list[Entry] = field(default_factory=list)

    def book(self, entry: Entry) -> None:
        """Add an entry; an amount of zero or less is a mistake."""
        if entry.amount <= 0:
            raise LedgerError(f"amount {entry.amount} of {entry.note!r} is not positive")
        if entry.debit == entry.credit:
            raise LedgerError(f"{entry.debit} cannot pay itself")
        self.entries.append(entry)

    def balance(self, account: str) -> Decimal:
        """What an account holds after the last entry."""
        total = Decimal(0)
        for entry in self.entries:
            if entry.debit == account:
                total += entry.amount
            if entry.credit == account:
                total -= entry.amount
        return total

    def accounts(self) -> list[str]:
        """Every account that was ever used, sorted by name."""
        names = {entry.debit for entry in self.entries}
        names.update(entry.credit for entry in self.entries)
        return sorted(names)

    def by_month(self, account: str) -> dict[str, Decimal]:
        """The change of an account in each month."""
        changes: dict[str, Decimal] = defaultdict(Decimal)
        for entry in self.entries:
            if entry.debit == account:
                changes[entry.month()] += entry.amount
            elif entry.credit == account:
                changes[entry.month()] -= entry.amount
        return dict(changes)


def read_entries(path: Path) -> Ledger:
    """Read a CSV file with the columns day, debit, credit, amount and note."""
    ledger = Ledger()
    with path.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            entry = Entry(
                day=date.fromisoformat(row["day"]),
                debit=row["debit"].strip(),
                credit=row["credit"].strip(),
                amount=Decimal(row["amount"]),
                note=row.get("note", ""),
            )
            ledger.book(entry)
    return ledger


def report(ledger: Ledger) -> str:
    """A table of accounts and balances, the largest first."""
    balances = {account: ledger.balance(account) for account in ledger.accounts()}
    width = max((len(account) for account in balances), default=0)
    lines = []
    for account, balance in sorted(balances.items(), key=lambda item: item[1], reverse=True):
        lines.append(f"{account:<{width}}  {balance:>12.2f}")
    lines.append(f"{'sum':<{width}}  {sum(balances.values()):>12.2f}")
    return "\n".join(lines)
