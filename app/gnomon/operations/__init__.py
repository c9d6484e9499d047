"""Operations: cancels and changes of many at once, in effect when they are answered and swept behind it."""
