<script src="/assets/deliberate.js"></script>
<p class="way"><a href="{{BACK}}"><bdi>{{NAME}}</bdi></a></p>
<h1>Replace the file of <bdi>{{NAME}}</bdi></h1>
{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been replaced yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#OVERTAKEN}}<div class="problem" role="alert"><p>The file was replaced while you were choosing. Nothing has changed since. If you replace it now, that file is replaced.</p></div>
{{/OVERTAKEN}}<p><bdi>{{NAME}}</bdi> takes the file of another item of this account. To upload a new file instead, use the form on <a href="{{BACK}}#file-title">its page</a>.</p>
<ul>
<li>It stays at its address, with its embed codes, name, description, project, captions and options of the player, and with a poster that was chosen. Without captions of its own, it gets those of the other item.</li>
<li><strong>The other item is deleted.</strong> Wherever it is embedded, visitors read that it cannot be played.</li>
<li>The former file is deleted after a day. This cannot be undone.</li>
</ul>
<form method="post" action="{{ACTION}}" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
{{#NO_CHOICE}}<p id="replacement">The account has no other item of this type that is ready.</p>
{{/NO_CHOICE}}{{#CHOICE}}<p><label for="replacement">The item with the new file</label>
<select id="replacement" name="replacement" aria-describedby="replacement-hint{{#REPLACEMENT_WRONG}} replacement-problem{{/REPLACEMENT_WRONG}}"{{#REPLACEMENT_WRONG}} aria-invalid="true"{{/REPLACEMENT_WRONG}}>
<option value="">Choose one</option>
{{#OPTION}}<option value="{{VALUE}}"{{#CHOSEN}} selected{{/CHOSEN}}>{{NAME}}</option>
{{/OPTION}}</select>
<span class="meta" id="replacement-hint">The newest of the same type that are ready</span>
{{/CHOICE}}{{#REPLACEMENT_PROBLEM}}<span class="field-problem" id="replacement-problem">{{PROBLEM}}</span>{{/REPLACEMENT_PROBLEM}}{{#CHOICE}}</p>
{{/CHOICE}}<p><label for="replacement_id">Or its id</label>
<input id="replacement_id" name="replacement_id" value="{{TYPED}}" maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="replacement_id-hint{{#REPLACEMENT_ID_WRONG}} replacement_id-problem{{/REPLACEMENT_ID_WRONG}}"{{#REPLACEMENT_ID_WRONG}} aria-invalid="true"{{/REPLACEMENT_ID_WRONG}}>
<span class="meta" id="replacement_id-hint">The end of the address of its page</span>
{{#REPLACEMENT_ID_PROBLEM}}<span class="field-problem" id="replacement_id-problem">{{PROBLEM}}</span>{{/REPLACEMENT_ID_PROBLEM}}</p>
<p class="answers"><button class="danger">Replace the file, and delete the other item</button>
<a class="button" href="{{BACK}}">Keep both</a></p>
</form>
