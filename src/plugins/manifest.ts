import { z } from 'zod/v4';

const Role = z.enum(['observer', 'compactor']);
const names = (what: string) => z.array(z.string().min(1)).default([]).describe(`Names of its ${what}.`);

/** How settings and events name a plugin. */
export const PLUGIN_NAME = /^[a-z][a-z0-9-]*$/;

/** The `spillway` field of a plugin's package.json: what its module provides, said before any of it is run. */
export const Manifest = z
  .strictObject({
    name: z
      .string()
      .regex(PLUGIN_NAME, 'small letters, digits and -')
      .optional()
      .describe(
        "What settings and events call it; the package's own name where absent, @acme/memory as acme-memory.",
      ),
    module: z
      .string()
      .min(1)
      .optional()
      .describe("Its module, relative to package.json; the package's entry where absent."),
    role: z
      .union([Role, z.array(Role)], { error: 'observer, compactor, or a list of them' })
      .default([])
      .describe('observer, compactor, or both.'),
    stages: names('stages'),
    summarizers: names('summarizers'),
    counters: names('token counters'),
    formats: names('wire formats'),
    knobs: z.boolean().default(false).describe('Whether it has knobs.'),
  })
  .describe('What a plugin provides.');

export type Manifest = z.infer<typeof Manifest>;

/** Roles as a list, however they were written. */
export const rolesOf = ({ role }: Pick<Manifest, 'role'>): readonly ('observer' | 'compactor')[] =>
  [role].flat();
