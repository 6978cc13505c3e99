import { isUtf8 } from 'node:buffer';
import { types } from 'node:util';
import {
  AliasNode,
  CastNode,
  ColumnNode,
  DataTypeNode,
  IdentifierNode,
  OperationNodeTransformer,
  ReferenceNode,
  SelectionNode,
  type KyselyPlugin,
} from 'kysely';
import { damaged } from '../fault.js';

/** The columns that hold text. */
const TEXTS: ReadonlySet<string> = new Set([
  'body',
  'kind',
  'session_id',
  'agent_path',
  'line',
  'model',
  'name',
]);

/** Selects text as the bytes in the file. */
class BytesOfTexts extends OperationNodeTransformer {
  protected override transformSelection(node: SelectionNode): SelectionNode {
    const { selection } = super.transformSelection(node);
    if (!ReferenceNode.is(selection) || !ColumnNode.is(selection.column))
      return SelectionNode.create(selection);
    const { name } = selection.column.column;
    if (!TEXTS.has(name)) return SelectionNode.create(selection);
    const bytes = CastNode.create(selection, DataTypeNode.create('blob'));
    return SelectionNode.create(AliasNode.create(bytes, IdentifierNode.create(name)));
  }
}

/**
 * Reads text as bytes, and decodes it here, because libsql ends the whole process on a text that is no UTF-8, which one
 * damaged byte in the file can cause.
 */
export function textsAsBytes(store: string): KyselyPlugin {
  const transformer = new BytesOfTexts();
  const decoded = (bytes: Buffer): string => {
    if (isUtf8(bytes)) return bytes.toString('utf8');
    throw damaged(store, 'a text whose bytes are no UTF-8');
  };
  return {
    transformQuery: ({ node }) => (node.kind === 'SelectQueryNode' ? transformer.transformNode(node) : node),
    async transformResult({ result }) {
      for (const row of result.rows) {
        for (const [column, value] of Object.entries(row)) {
          if (types.isAnyArrayBuffer(value)) row[column] = decoded(Buffer.from(value));
        }
      }
      return result;
    },
  };
}
