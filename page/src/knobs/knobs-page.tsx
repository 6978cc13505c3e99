export function KnobsPage() {
  return null;
}
