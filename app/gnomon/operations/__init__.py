"""Operations: cancels of many at once, in effect when they are answered and swept behind it."""
