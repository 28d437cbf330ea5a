const format = new Intl.NumberFormat('en');

/** A number with separators between thousands: `1,204`. */
export function numberText(value: number): string {
  return format.format(value);
}
