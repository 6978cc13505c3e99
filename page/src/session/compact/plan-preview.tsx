import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { preview } from '../../api/queries';
import type { Place, Plan, ShownMessage } from '../../api/types';
import { counted, percent } from '../../parts/format';
import { Answer } from '../../parts/states';
import { SentCell } from '../context/message-cell';
import { MessageDrawer } from '../context/message-drawer';

/** The request as the plan would make it. */
export function PlanPreview({ place, plan }: { readonly place: Place; readonly plan: Plan }) {
  const [isOpen, setOpen] = useState(false);
  const [selected, setSelected] = useState<ShownMessage>();
  const answer = useQuery({ ...preview(place, plan.hash), enabled: isOpen });
  return (
    <details className="preview" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The context as it would be</summary>
      {isOpen && (
        <Answer query={answer}>
          {({ preview: { reading, messages } }) => (
            <>
              <p className="soft">
                {counted(messages.length, 'message')}, pressure {percent(reading.pressure)}
              </p>
              {messages.map((message) => (
                <SentCell key={message.id} message={message} onOpen={setSelected} />
              ))}
              <MessageDrawer
                place={place}
                selected={selected && { id: selected.id, sent: selected }}
                entries={[]}
                onClose={() => setSelected(undefined)}
              />
            </>
          )}
        </Answer>
      )}
    </details>
  );
}
