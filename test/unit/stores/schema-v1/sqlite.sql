-- What the first release made of an empty file. Never changed again: what it says is in the files of users.
create table spillway_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);
create table spillway_migration_lock (id varchar(255) not null primary key, is_locked integer default 0 not null);
insert into spillway_migration_lock (id, is_locked) values ('migration_lock', 0);

create table spillway_thread (
  id integer primary key autoincrement,
  session_key text not null, path_key text not null,
  session_id text not null, agent_path text not null,
  messages bigint not null, entries bigint not null,
  created_at double precision not null, updated_at double precision not null,
  constraint spillway_thread_key unique (session_key, path_key));

create table spillway_checkpoint (
  thread_id bigint not null primary key, messages bigint not null, entries bigint not null, body text not null);

create table spillway_message (
  thread_id bigint not null, seq bigint not null, id_key text not null, body text not null,
  constraint spillway_message_seq primary key (thread_id, seq),
  constraint spillway_message_id unique (thread_id, id_key));

create table spillway_entry (
  thread_id bigint not null, seq bigint not null, kind text not null, at double precision not null, body text not null,
  constraint spillway_entry_seq primary key (thread_id, seq));

create table spillway_event (
  id integer primary key autoincrement,
  thread_id bigint not null, kind text not null, ref_key text, at double precision not null, body text not null);
create index spillway_event_kind on spillway_event (thread_id, kind, id);
create index spillway_event_ref_key on spillway_event (thread_id, ref_key, id);

create table spillway_usage (
  thread_id bigint not null, line text not null, model text not null, calls bigint not null,
  input_tokens bigint not null, cache_read_tokens bigint not null, cache_write_tokens bigint not null,
  output_tokens bigint not null, cost double precision not null, unpriced bigint not null,
  constraint spillway_usage_key primary key (thread_id, line, model));

create table spillway_artifact ("key" text not null primary key, body text not null);

create table spillway_value (
  scope_key text not null, name_key text not null, name text not null, body text not null,
  constraint spillway_value_key primary key (scope_key, name_key));

