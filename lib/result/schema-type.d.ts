import type schema from './result.schema.json' with { type: 'json' };

export type ResultSchema = typeof schema;
