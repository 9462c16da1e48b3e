<h1>Second factor needed</h1>
<p class="notice">This account requires a second factor of those who manage it, and you have none.</p>
<p><a class="button primary" href="{{@SECOND_FACTOR}}">Set up a second factor</a></p>
