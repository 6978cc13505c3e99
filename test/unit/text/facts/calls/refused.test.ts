import { isRefused } from '../../../../../src/text/facts/calls/status.js';

it.each([
  '<tool_use_error>Found 2 matches of the string to replace</tool_use_error>',
  '{"error": "[Operation Cancelled] Reason: User cancelled the operation."}',
  'apply_patch verification failed: Failed to find expected lines in wheel.ts',
  'Error: EACCES: permission denied, open wheel.ts',
  'OSError: [Errno 30] read-only file system',
  'Failed to find the lines to change',
  'Could not apply the patch',
  "The user doesn't want to proceed with this tool use.",
  'String to replace not found in file.',
  'Permission denied',
  'No changes were made: the text is the same',
  '{"output":"no such line","metadata":{"exit_code":1}}',
  'No replacement was performed. Multiple occurrences of old_str in lines 1 and 2.',
  'No replacement was performed, old_str `x` did not appear verbatim in /w/p.ts.',
  'The path w/p.ts is not an absolute path, it should start with `/`.',
  '<observation>\nThe path w/p.ts does not exist. Please provide a valid path.\n</observation>',
  '{"success": false, "message": "locked"}',
  '{"status":"error","message":"locked"}',
  "EACCES: permission denied, open 'p.ts'",
  'The tool execution failed with the following error: <error>x</error>',
  '0 of 2 edits applied',
  'PreToolUse:Edit hook error: blocked by policy',
  'Permission to use Edit has been denied.',
  // One protocol within another.
  `meta=None content=[TextContent(type='text', text='{"content": [], "isError": true}')] isError=False`,
])('a result says that nothing was written %s', (text) => expect(isRefused(text)).toBe(true));

it.each([
  'Successfully replaced 1 block(s) in src/error.ts.',
  'The file src/errors.ts has been updated. Here is the result:\n 1 Error: bad gate',
  'Wrote 1397 bytes to failed.log',
  '{"error": null, "output": "Updated src/wheel.ts"}',
  '{"output":"Success. Updated the following files:\\nM wheel.ts","metadata":{"exit_code":0}}',
  'ok',
  '',
])('a result says that something was %s', (text) => expect(isRefused(text)).toBe(false));
