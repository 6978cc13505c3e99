/** People tell of themselves in the words of rules: “I have always loved the sea”. */
const TELLS =
  /^(?:(?:and|but|so|well|oh|wow|hey|yeah|yep|yup|yes|no|nope|haha|lol|aw+|ah|btw|plus|thanks|thank you|hi|hello|ok|okay|sorry|congrats|definitely|absolutely|sure|sometimes|honestly)[,!. ]+)*(?:i|we|he|she|they|it|there|my|our|his|her|their|that|this|these|those|what|how|i[’'](?:ve|m|d|ll)|(?:we|they)[’'](?:ve|re|d|ll)|(?:he|she|it|that|there|what)[’'](?:s|ll|d)|you[’']re)(?![\p{L}’'])/iu;
const SPEAKS_TO =
  /(?<![\p{L}])(?:must|shall|you (?:must|may|should|can(?:[’']t|not)?|need|have)|i (?:want|need|expect|told|said|prefer)|from now on|never again|off[- ]limits|forbidden|not allowed|don[’']t want|(?:may|are|is) (?:not|only)|at (?:most|least)|no more than)(?![\p{L}])/iu;

/** “That must have been fun”, “it must be so hard” guess; “the key must be unique” asks. */
const GUESSES =
  /\bmust(?:[’']ve| have (?:been|felt|had|taken|meant|gone|made|brought|seemed|cost)\b| feel\b| (?:be|bring|mean)(?: (?:so|really|very|quite|pretty|such|a|an|super|truly|incredibly))* (?:much|happiness|joy|great|good|nice|cool|fun|awesome|amazing|incredible|wonderful|fantastic|beautiful|stunning|gorgeous|lovely|exciting|thrilling|interesting|fascinating|satisfying|fulfilling|rewarding|relaxing|refreshing|peaceful|calming|hard|tough|difficult|challenging|frustrating|stressful|exhausting|scary|sad|proud|hilarious|funny|delicious|tired|busy|nerve-wracking|special|lot|blast|sight|feeling|experience)\b)/gi;
/** Sayings that hold the words of a rule. */
const SAYINGS =
  /\b(?:can[’']?t|cannot) (?:wait|imagine|believe|help but|thank|get enough)\b|\bdon[’']?t give up\b|\b(?:a|the) must(?:[- ](?:see|try|have|read|learn))?\b|\bnever (?:heard|been|seen|thought|knew|gets? old)\b|\b(?:love|loved|enjoy|enjoyed) .{0,40}\b(?:always|never)\b|\balways (?:been|loved|wanted|enjoyed|thought|felt|had|found|makes? (?:me|us|my)|cheers? me|reminds? me|feels?|so|there for|up for|fun|great|nice|good|an? (?:good|great|blast|adventure|joy|pleasure))\b/gi;

/** Whether a sentence tells of oneself or of others and asks nothing of who hears it. */
export function tells(sentence: string): boolean {
  return TELLS.test(sentence) && !SPEAKS_TO.test(sentence.replace(GUESSES, ' '));
}

/** A sentence without the guesses and sayings in which words of rules mean none. */
export function withoutTalk(sentence: string): string {
  return sentence.replace(GUESSES, ' ').replace(SAYINGS, ' ');
}
