export function GET() {
  return new Response('The app itself.\n');
}
