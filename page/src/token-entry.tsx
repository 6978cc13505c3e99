import { Button, PasswordInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ApiError, ask } from './api/client';
import { me } from './api/queries';
import { token } from './api/token';
import type { Me } from './api/types';
import { messageOf } from './parts/states';

/** Asks for a token. The token is kept in this tab only, and sent to this service only. */
export function TokenEntry() {
  const queries = useQueryClient();
  const [word, setWord] = useState('');
  const [fault, setFault] = useState<string>();
  const enter = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    token.keep(word.trim());
    try {
      const who = await ask<Me>('/me');
      if (who.role === 'client') throw new Error(`The token ${who.name} is for the proxy only.`);
      queries.setQueryData(me.queryKey, who);
      await queries.invalidateQueries();
    } catch (error) {
      token.forget();
      setFault(
        error instanceof ApiError && error.status === 401
          ? 'The service does not know this token.'
          : messageOf(error),
      );
    }
  };
  return (
    <form className="panel entry" onSubmit={(event) => void enter(event)}>
      <h1>Enter your token</h1>
      <p className="soft">
        This service needs a token. A viewer&apos;s token shows everything; an operator&apos;s also changes
        things.
      </p>
      <PasswordInput
        label="Token"
        value={word}
        onChange={(event) => setWord(event.currentTarget.value)}
        error={fault}
        autoComplete="off"
        data-autofocus
      />
      <Button type="submit" disabled={word.trim() === ''}>
        Enter
      </Button>
      <p className="soft">The token is kept in this tab until you close the tab.</p>
    </form>
  );
}
