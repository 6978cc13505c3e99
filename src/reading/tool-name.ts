/** A tool's name as it may stand inside our own brackets: one line, no brackets, not endless. */
export function plainName(tool: string | undefined): string {
  return (
    tool
      ?.replace(/[[\]\s\u0085]+/g, ' ')
      .trim()
      .slice(0, 60) || 'tool'
  );
}
