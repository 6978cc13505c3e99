insert into spillway_migration (name, timestamp) values ('0001-sessions', '2026-11-22T02:21:26.109Z');
insert into spillway_thread (session_key, path_key, session_id, agent_path, messages, entries, created_at, updated_at)
  values ('s', 'a\u0000b', 's', 'a\u0000b', 2, 1, 1763776000000, 1763776001000);
insert into spillway_checkpoint values (1, 1, 0, '{"tail":[]}');
insert into spillway_message values
  (1, 0, 'm0', '{"id":"m0","seq":0,"role":"user","origin":"user","parts":[{"type":"text","text":"keep the port 8080 \u0000"}],"size":{"tokens":7,"bytes":18,"images":0,"parts":[{"tokens":4,"bytes":18,"images":0}]}}'),
  (1, 1, 'm1', '{"id":"m1","seq":1,"role":"assistant","origin":"model","parts":[{"type":"text","text":"done"}],"size":{"tokens":4,"bytes":4,"images":0,"parts":[{"tokens":1,"bytes":4,"images":0}]}}');
insert into spillway_entry values (1, 0, 'commit', 1763776000500, '{"plan":"p1"}');
insert into spillway_event (thread_id, kind, ref_key, at, body)
  values (1, 'call', '1', 1763776000400, '{"kind":"call","ref":"1","at":1763776000400,"body":{"sent":2}}');
insert into spillway_usage values (1, 'primary', 'm', 2, 10, 20, 30, 40, 0.5, 1);
insert into spillway_artifact values ('k', '{"text":"bought"}');
insert into spillway_value values ('knobs', 'window', 'window', '8000');
