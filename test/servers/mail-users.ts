export const DOMAIN = 'example.test';
export const PASSWORD = 'secret';

export function addressOf(user: string): string {
  return `${user}@${DOMAIN}`;
}
