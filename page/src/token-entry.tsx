import { Button, PasswordInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ApiError, ask } from './api/client';
import { me } from './api/queries';
import { token } from './api/token';
import type { Me } from './api/types';
import { messageOf } from './parts/states';

/** Asks for a token. It is kept in this tab alone, and sent to this service alone. */
export function TokenEntry() {
  const queries = useQueryClient();
  const [word, setWord] = useState('');
  const [fault, setFault] = useState<string>();
  const enter = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    token.keep(word.trim());
    try {
      const who = await ask<Me>('/me');
      if (who.role === 'client') throw new Error(`The token ${who.name} is for the proxy alone.`);
      queries.setQueryData(me.queryKey, who);
      await queries.invalidateQueries();
    } catch (error) {
      token.forget();
      setFault(
        error instanceof ApiError && error.status === 401 ? 'Nobody has that token.' : messageOf(error),
      );
    }
  };
  return (
    <form className="panel entry" onSubmit={(event) => void enter(event)}>
      <h1>Who looks?</h1>
      <p className="soft">
        This service lets in who has a token: a viewer sees everything, an operator changes things.
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
        Come in
      </Button>
      <p className="soft">It is kept in this tab until you close it.</p>
    </form>
  );
}
