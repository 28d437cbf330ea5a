/** The owner can switch the keys off (WCAG 2.1.4). */
const OFF = 'countersign-keys-off';

export function areKeysOff(): boolean {
  try {
    return localStorage.getItem(OFF) !== null;
  } catch {
    return false;
  }
}

export function switchKeys(off: boolean): void {
  try {
    if (off) localStorage.setItem(OFF, '1');
    else localStorage.removeItem(OFF);
  } catch {
    // The browser keeps nothing: the keys stay on.
  }
}
